print("postilion")
